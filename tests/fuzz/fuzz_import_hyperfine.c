#define FUZZ_FORMAT import_hyperfine
#include "fuzz_import.h"
