#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

http::Task<void> Exchange::answer(const Error& error) {
  note_failure(error.kind());
  return answer(answer_for(error));
}

}  // namespace bellows::proxy
