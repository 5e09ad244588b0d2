// Package vendor describes the vendors that serve models: their addresses, the environment variables
// for their API keys, and the peculiarities of their requests. Each vendor is one value. So is each
// family of models that has special requirements at every vendor.
package vendor

import (
	"net"
	"slices"
	"strings"
)

// Vendor is a company that serves models, or a kind of local server.
type Vendor struct {
	// Name is the name that users type.
	Name string
	// Title is the vendor's own spelling of its name.
	Title string
	// BaseURL is the address of the vendor's API.
	BaseURL string
	// Cloud describes an address that depends on the user's account, instead of BaseURL. It is nil for
	// other vendors.
	Cloud *Cloud
	// KeyVariable is the environment variable of the API key. It is "" for local servers, which need no
	// key.
	KeyVariable string
	// Account is set if requests are signed with the login to an account, never with an API key.
	Account bool
	// Catalogue is the vendor's name in the model catalog, or "" if it is not listed.
	Catalogue string

	// serves is the name of the family of the vendor's models, or "" if there are several.
	serves string
	// domains lists the domains of the API. Their subdomains belong to the vendor, too.
	domains []string
	// wants describes the requirements of the endpoint for every model.
	wants Wants
	// adjust changes the requirements for a model with a BaseName. It may be nil.
	adjust func(model string, w *Wants)
	// translates is set if the endpoint translates requests for the maker of the model, so that the
	// requirements of families do not apply.
	translates bool
}

// Cloud describes how to address models that run in the customer's account at a cloud.
type Cloud struct {
	// Address contains the placeholders {project}, {region} and {resource}.
	Address string
	// Global is the Address for the region global, or "" if it is the same.
	Global string
	// Claude is the address of the Messages API for Claude models, or "" if they are served at Address.
	// ClaudeGlobal is the same for the region global.
	Claude, ClaudeGlobal string
	// Variables lists, for each part of the address, the environment variables for its value if it is
	// not set.
	Variables map[string][]string
	// Endpoint is a variable with the beginning of the address. Path is the rest of the address.
	Endpoint, Path string
	// Command prints a token.
	Command string
}

// EnvKey is the environment variable of OpenAI's API key. It is used for other endpoints, too.
const EnvKey = "OPENAI_API_KEY"

// Local reports whether the vendor is a server on this machine.
func (v Vendor) Local() bool { return v.KeyVariable == "" && !v.Account }

// KeyHelp returns the places of the vendor's API key for hints, or "" if it needs none.
func (v Vendor) KeyHelp() string {
	switch {
	case v.Local():
		return ""
	case v.Account:
		return "agent login " + v.Name
	}
	return v.KeyVariable + ", agent login " + v.Name
}

// All returns all vendors with a name, OpenAI first.
func All() []Vendor { return slices.Clone(vendors) }

// Names returns the names of all vendors, in the order of All.
func Names() []string {
	names := make([]string, len(vendors))
	for i := range vendors {
		names[i] = vendors[i].Name
	}
	return names
}

// Named returns the vendor with a name, ignoring case.
func Named(name string) (Vendor, bool) {
	i := slices.IndexFunc(vendors, func(v Vendor) bool { return strings.EqualFold(v.Name, name) })
	if i < 0 {
		return Vendor{}, false
	}
	return vendors[i], true
}

// Messages reports whether the vendor's models are served over the Messages API.
func (v Vendor) Messages() bool { return v.wants.Messages }

// at returns the vendor whose API is at a host, with or without a port.
func at(host string) Vendor {
	name, _, _ := strings.Cut(strings.ToLower(host), ":")
	for _, v := range vendors {
		if slices.ContainsFunc(v.domains, func(d string) bool { return name == d || strings.HasSuffix(name, "."+d) }) {
			return v
		}
	}
	if IsLocal(host) {
		return ownServer
	}
	return Vendor{}
}

// MakerOf returns the vendor that makes a model and serves it with an API key, or the zero Vendor if it
// is unknown.
func MakerOf(model string) Vendor {
	family := FamilyOf(model).Name
	i := slices.IndexFunc(vendors, func(v Vendor) bool { return v.serves == family && v.Cloud == nil && !v.Account && v.KeyVariable != "" })
	if i < 0 {
		return Vendor{}
	}
	return vendors[i]
}

// BillsNothing reports whether a host, with its port, is a server that users run themselves, such as
// Ollama.
func BillsNothing(host string) bool {
	return slices.ContainsFunc(vendors, func(v Vendor) bool {
		return v.Local() && strings.HasPrefix(v.BaseURL, "http://"+host+"/")
	})
}

// IsLocal reports whether host, with or without a port, is this machine or in its local network.
func IsLocal(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(name)
	return !strings.Contains(name, ".") || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}
