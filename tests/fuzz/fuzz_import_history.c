#define FUZZ_FORMAT import_history
#include "fuzz_import.h"
