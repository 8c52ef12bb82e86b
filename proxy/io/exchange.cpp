#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

http::Flow<void> Exchange::answer(const Error& error) {
  return answer(answer_for(error));
}

}  // namespace bellows::proxy
