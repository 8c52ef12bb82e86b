// What the tests of TLS have in common: a server of ours with a certificate for localhost.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "http/io/client.hpp"
#include "http/io/service_server.hpp"
#include "http/tls/tls_context.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::http {

inline Pem as_pem(const std::string& text, const std::string& name = "a text") {
  return {.path = {}, .text = text, .name = name};
}

inline Pem as_file(const std::string& path) {
  return {.path = path, .text = {}, .name = {}};
}

inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::trunc) << content;
}

inline std::shared_ptr<TlsContext> server_tls(const test::TestCertificate& certificate,
                                              const std::string& client_ca = {}) {
  TlsServerSettings settings;
  settings.certificate = as_pem(certificate.certificate);
  settings.key = as_pem(certificate.key);
  if (!client_ca.empty()) settings.client_ca = as_pem(client_ca);
  return make_tls_server(std::move(settings)).value();
}

inline std::shared_ptr<TlsContext> client_tls(const test::TestCa& ca) {
  TlsClientSettings settings;
  settings.ca = as_pem(ca.certificate(), "the test's CA");
  return make_tls_client(std::move(settings)).value();
}

/// Answers every path with it.
struct TlsServer {
  TlsServer(net::io_context& io, std::shared_ptr<TlsContext> tls, std::string body = "hello")
      : context(std::move(tls)), server(io, {.tls = context.get()}) {
    server.route("GET", "/", [body = std::move(body)](Request) -> Awaitable<Response> {
      Response response;
      response.body = body;
      co_return response;
    });
    endpoint = server.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
  }
  std::shared_ptr<TlsContext> context;  // owners: the test and this
  ServiceServer server;
  Endpoint endpoint;
};

inline Awaitable<Result<Response>> fetch_by(std::shared_ptr<TlsContext> tls, Endpoint endpoint) {
  co_return co_await fetch(std::move(endpoint), "GET", "/", {}, {}, {.tls = tls.get()});
}

}  // namespace bellows::http
