// `Timestamp` and other values of actions are Flux's: a program that imports this module needs them.
@_exported import Flux
