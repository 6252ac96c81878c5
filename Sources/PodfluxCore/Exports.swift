// Dates of downloads and episodes are Flux's: a program that imports this module needs no other for them.
@_exported import struct Flux.Timestamp
