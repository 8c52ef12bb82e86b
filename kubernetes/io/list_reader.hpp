// Lists a kind once, for what is not worth a watch.
#pragma once

#include "http/io/net.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/item_reader.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::kubernetes {

/// Sends `request`, a list, and passes each object to `on_item`; one that cannot be used goes to
/// `on_rejected`. If the query of the request has a limit, it reads page after page. `fields`
/// outlives the call.
http::Awaitable<Result<void>> list_all(ApiClient& client, ApiRequest request,
                                       const FieldSet& fields, ItemReader::OnItem on_item,
                                       ItemReader::OnRejected on_rejected);

}  // namespace bellows::kubernetes
