// What a caller gets while no replica is ready: a page, and answers that need no replica. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "config/static_answers.hpp"
#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::activator {

/// The seconds after which the page asks again.
inline constexpr int kPageReloadSeconds = 2;

/// A browser that shows a page: GET, and Accept names text/html.
bool takes_a_page(const http::RequestHead& head);

/// The page of Bellows. `is_failing`: the replicas fail to start.
std::string built_in_page(const RevisionId& service, bool is_failing);

/// 503 with Retry-After, no copy is kept, and it reloads itself.
proxy::LocalReply waiting_page_reply(std::string page);

/// nullptr: there is no answer for that path.
const config::StaticAnswer* find_answer(const std::vector<config::StaticAnswer>& answers,
                                        const http::RequestHead& head);
proxy::LocalReply static_reply(const config::StaticAnswer& answer);

}  // namespace bellows::activator
