#include "http/io/signals.hpp"

#include <utility>

namespace bellows::http {

Signals::Signals(net::io_context& io, std::initializer_list<int> numbers, OnSignal on_signal)
    : set_(io), on_signal_(std::move(on_signal)) {
  for (const int number : numbers) set_.add(number);
  wait();
}

void Signals::wait() {
  set_.async_wait(lifetime_.bind([this](const boost::system::error_code& error, int number) {
    if (error) return;
    wait();
    const OnSignal on_signal = on_signal_;  // it may destroy this object
    on_signal(number, ++count_);
  }));
}

}  // namespace bellows::http
