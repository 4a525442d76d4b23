/* version.h: the one place that says which version this is; CMakeLists.txt reads it too. */
#ifndef TARE_BASE_VERSION_H
#define TARE_BASE_VERSION_H

#define TARE_VERSION_STRING "0.1.0"

#endif
