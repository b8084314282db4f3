// iproute2's `ip`, run inside a network namespace.
#pragma once

#include <string>

#include "tools/hosts/network_namespace.hpp"

namespace oriel::tools {

// How the commands of run_ip name the namespace that is handed to them as `other`.
std::string name_of(const network_namespace& other);

// Runs `commands`, one a line as `ip -batch` takes them, inside `where`. Ends within ten seconds.
// Throws system with the output of `ip` when one fails; the later ones are then left out.
void run_ip(const network_namespace& where, const std::string& commands,
            const network_namespace* other = nullptr);

}  // namespace oriel::tools
