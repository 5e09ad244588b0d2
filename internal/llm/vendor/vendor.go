// Package vendor describes the vendors that serve models: their addresses, the variables of their
// keys, and the peculiarities of their requests. Each vendor is one value, and so is each family of
// models that has needs of its own at every vendor.
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
	// BaseURL is the address of its API.
	BaseURL string
	// Cloud describes an address that depends on the user's account, in place of BaseURL; nil
	// for others.
	Cloud *Cloud
	// KeyVariable is the environment variable of its key. It is empty for local servers, which need
	// no key.
	KeyVariable string
	// Account is set if requests are signed with the login to an account, and never with a key.
	Account bool
	// Catalogue is its name in the catalogue of models, empty if it is not there.
	Catalogue string

	// serves is the name of the family of its models, "" if it serves several.
	serves string
	// domains lists the domains of its API. Their subdomains belong to it, too.
	domains []string
	// wants holds the needs of the endpoint for every model.
	wants Wants
	// adjust changes the needs for a model with a BaseName; nil changes nothing.
	adjust func(model string, w *Wants)
	// translates is set if the endpoint translates requests for the maker of the model, so that the
	// needs of families do not apply.
	translates bool
}

// Cloud describes how to address models that run in the customer's account at a cloud.
type Cloud struct {
	// Address has {project}, {region} and {resource} in it.
	Address string
	// Global is the Address in the region global, "" for none of its own.
	Global string
	// Claude is the address of the Messages API for Claude models, "" if they are reached at
	// Address. ClaudeGlobal is that in the region global.
	Claude, ClaudeGlobal string
	// Variables lists, for each part of the address, the variables of the environment that give it
	// if it is not set.
	Variables map[string][]string
	// Endpoint names a variable that has the beginning of the address. Path is the rest of the
	// address.
	Endpoint, Path string
	// Command prints a token.
	Command string
}

// EnvKey is the environment variable of OpenAI's key. It is used for other endpoints, too.
const EnvKey = "OPENAI_API_KEY"

// Local reports whether the vendor is a server on this machine.
func (v Vendor) Local() bool { return v.KeyVariable == "" && !v.Account }

// KeyHelp names the places of the vendor's key in hints, "" if it needs none.
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

// Named returns the vendor with a name, in any case.
func Named(name string) (Vendor, bool) {
	i := slices.IndexFunc(vendors, func(v Vendor) bool { return strings.EqualFold(v.Name, name) })
	if i < 0 {
		return Vendor{}, false
	}
	return vendors[i], true
}

// Messages reports whether the vendor's models are reached over the Messages API.
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

// MakerOf returns the vendor that makes a model and serves it for a key, or the zero Vendor if it is
// not known.
func MakerOf(model string) Vendor {
	family := FamilyOf(model).Name
	i := slices.IndexFunc(vendors, func(v Vendor) bool { return v.serves == family && v.Cloud == nil && !v.Account && v.KeyVariable != "" })
	if i < 0 {
		return Vendor{}
	}
	return vendors[i]
}

// BillsNothing reports whether a host, with its port, belongs to a server that people run
// themselves, such as Ollama.
func BillsNothing(host string) bool {
	return slices.ContainsFunc(vendors, func(v Vendor) bool {
		return v.Local() && strings.HasPrefix(v.BaseURL, "http://"+host+"/")
	})
}

// IsLocal reports whether host, with or without a port, is this machine or in its network.
func IsLocal(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(name)
	return !strings.Contains(name, ".") || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}
