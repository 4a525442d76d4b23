#define FUZZ_FORMAT import_libtest
#include "fuzz_import.h"
