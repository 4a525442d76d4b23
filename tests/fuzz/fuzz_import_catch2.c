#define FUZZ_FORMAT import_catch2
#include "fuzz_import.h"
