// The request of `bellows route-test` to the services of a file, or of a running Bellows. Pure.
#pragma once

#include <string>
#include <string_view>

#include "activator/core/route_report.hpp"
#include "json/object.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// Parses "http://shop.example:8080/a?b" with the lines of header fields; kInvalidSetting for a URL
/// that is neither http nor https.
Result<activator::TestRequest> test_request(const std::string& method, const std::string& url,
                                            std::vector<std::string> header_lines);

/// Returns the same as JSON, for the control socket.
std::string request_text(const activator::TestRequest& request);
Result<activator::TestRequest> read_test_request(const json::Object& body);

Result<activator::RouteReport> route_report(const Records& records,
                                            const activator::TestRequest& request);

/// Returns a report as JSON, for the control socket.
std::string report_text(const activator::RouteReport& report);
Result<activator::RouteReport> read_route_report(std::string_view text);

}  // namespace bellows::machine
