#define FUZZ_FORMAT import_go
#include "fuzz_import.h"
