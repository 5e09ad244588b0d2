// Package vendor knows the vendors that serve models: where they are, whose key they take, and
// what each wants otherwise. A vendor is one value; what a model wants, whatever vendor serves
// it, is one value of its family.
package vendor

import (
	"net"
	"slices"
	"strings"
)

// Vendor is a person that serves models, or a kind of server.
type Vendor struct {
	// Name is what a user writes, Title what the vendor writes.
	Name, Title string
	// BaseURL is the address of its API.
	BaseURL string
	// KeyVariable is the environment variable of its key; empty for servers of one's
	// own, which need none.
	KeyVariable string
	// Catalogue is its name in the catalogue of models, empty when it has none.
	Catalogue string

	// serves is the family of its models, "" where it serves several.
	serves string
	// domains are where its API is, with all that is below them.
	domains []string
	// wants is what the endpoint wants whatever the model.
	wants Wants
	// adjust changes what is wanted for a model, by its BaseName; nil changes nothing.
	adjust func(model string, w *Wants)
	// translates is set for one that brings a request into the form that the maker of
	// the model wants: then the rules of families do not apply.
	translates bool
}

// EnvKey is the environment variable of OpenAI's key, which other endpoints take too.
const EnvKey = "OPENAI_API_KEY"

// Local reports whether the vendor is a server on this machine.
func (v Vendor) Local() bool { return v.KeyVariable == "" }

// KeyHelp says where its key comes from, "" where it needs none.
func (v Vendor) KeyHelp() string {
	if v.Local() {
		return ""
	}
	return v.KeyVariable + ", agent login " + v.Name
}

// All returns the vendors that have a name, OpenAI first.
func All() []Vendor { return slices.Clone(vendors) }

// Named returns the vendor of a name.
func Named(name string) (Vendor, bool) {
	i := slices.IndexFunc(vendors, func(v Vendor) bool { return strings.EqualFold(v.Name, name) })
	if i < 0 {
		return Vendor{}, false
	}
	return vendors[i], true
}

// at is the vendor whose API is at a host, which may have a port.
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

// IsLocal reports whether host is of this machine or its network.
func IsLocal(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(name)
	return !strings.Contains(name, ".") || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}
