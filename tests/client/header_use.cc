/* The header as C++. */
#include "header_use.h"
