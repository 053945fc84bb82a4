// Instantiates std::string here: in the runtime library its object pulls in exceptions, locales and an unwinder.
#include <string>

template class std::basic_string<char>;
