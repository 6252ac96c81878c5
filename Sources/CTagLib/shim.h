// TagLib's own interface is C++, which CTagging wraps: this module brings the library's flags alone.
#ifndef CTAGLIB_SHIM_H
#define CTAGLIB_SHIM_H
#endif
