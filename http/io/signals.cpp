#include "http/io/signals.hpp"

#include <boost/asio/basic_signal_set.hpp>
#include <utility>

namespace bellows::http {

struct Signals::State : std::enable_shared_from_this<State> {
  State(net::io_context& io, OnSignal its_on_signal)
      : set(io), on_signal(std::move(its_on_signal)) {}

  void wait() {
    set.async_wait([self = shared_from_this()](const boost::system::error_code& error, int number) {
      if (error || self->is_over) return;
      self->wait();
      self->on_signal(number, ++self->count);
    });
  }

  net::basic_signal_set<Executor> set;
  OnSignal on_signal;
  int count = 0;
  bool is_over = false;
};

Signals::Signals(net::io_context& io, std::initializer_list<int> numbers, OnSignal on_signal)
    : state_(std::make_shared<State>(io, std::move(on_signal))) {
  for (const int number : numbers) state_->set.add(number);
  state_->wait();
}

Signals::~Signals() {
  state_->is_over = true;
  state_->set.cancel();
}

}  // namespace bellows::http
