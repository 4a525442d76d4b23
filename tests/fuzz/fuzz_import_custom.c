#define FUZZ_FORMAT import_custom
#include "fuzz_import.h"
