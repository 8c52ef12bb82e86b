#include "http/io/own_names.hpp"

#include <boost/asio/ip/host_name.hpp>

#include "base/sys/file.hpp"
#include "http/core/access_rules.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

std::vector<std::string> names_of_this_machine() {
  boost::system::error_code unknown;
  const std::string name = net::ip::host_name(unknown);
  if (unknown) return {};
  return own_names(name, sys::read_whole_file("/etc/hosts").value_or(std::string()));
}

}  // namespace bellows::http
