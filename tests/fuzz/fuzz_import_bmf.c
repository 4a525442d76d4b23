#define FUZZ_FORMAT import_bmf
#include "fuzz_import.h"
