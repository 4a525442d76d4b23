#define FUZZ_FORMAT import_dotnet
#include "fuzz_import.h"
