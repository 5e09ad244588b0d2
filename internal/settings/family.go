package settings

import (
	"errors"
	"maps"
	"net/textproto"
	"slices"
	"strings"
)

// Family is the declaration of settings whose names begin alike and end as the user
// likes: header.X-Title and header.X-Region are members of header.NAME.
type Family struct{ spec *Spec }

// familyName is how the key of a family ends, in the place of a member's name.
const familyName = "NAME"

// newFamily returns a family of values of a kind. member brings the name of a member
// into its one form, or says why it is none.
func newFamily(kind Kind[string], spec Spec, member func(name string) (string, error)) Family {
	spec.kind = kind.untyped()
	spec.member = member
	return Family{&spec}
}

// Of returns the members that are set in s.
func (f Family) Of(s *Settings) []Member {
	var members []Member
	for _, key := range s.members(f.spec) {
		if value, from := s.Get(key); value.IsSet() {
			members = append(members, Member{key, strings.TrimPrefix(key, f.spec.prefix()), value.String(), from})
		}
	}
	return members
}

// Member is a setting of a family: its key, the name that the user gave it, its value
// and the layer that sets it.
type Member struct {
	Key, Name, Value string
	From             Source
}

func (f Family) declaration() *Spec { return f.spec }

// prefix is what the keys of a family's members begin with.
func (s *Spec) prefix() string { return strings.TrimSuffix(s.Key, familyName) }

// memberOf returns the setting of a family that name names; nil when it names none.
func (r *Registry) memberOf(name string) (*Spec, error) {
	for _, family := range r.specs {
		if family.member == nil || !strings.HasPrefix(strings.ToLower(name), family.prefix()) {
			continue
		}
		member, err := family.member(name[len(family.prefix()):])
		if err != nil {
			return nil, &Error{Key: name, Problem: err.Error()}
		}
		spec := *family
		spec.Key, spec.member = family.prefix()+member, nil
		return &spec, nil
	}
	return nil, nil
}

// members returns the keys of a family that some layer sets, sorted.
func (s *Settings) members(family *Spec) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.membersOf(family)
}

func (s *Settings) membersOf(family *Spec) []string {
	keys := map[string]bool{}
	for _, layer := range s.layers {
		for key := range layer {
			if family.member != nil && strings.HasPrefix(key, family.prefix()) && key != family.Key {
				keys[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// Headers are HTTP headers that go with every request to the endpoint.
var Headers = newFamily(Line(), Spec{
	Key: "header." + familyName, Unset: "none",
	Help:     "HTTP header sent with every request, such as header.X-Region",
	Category: CategoryModel,
}, headerName)

// headerName returns the canonical name of a header that a user may set.
func headerName(name string) (string, error) {
	const tokens = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	if name == "" || name == familyName || strings.Trim(strings.ToLower(name), tokens) != "" {
		return "", errors.New("does not end in the name of an HTTP header, as header.X-Region does")
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	switch name {
	case "Authorization", "Proxy-Authorization", "Cookie":
		return "", errors.New("would hold a key, and keys are never settings: put the key in a file and set auth-keyfile to its path, or use agent login")
	case "Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection", "Host", "Accept", "Accept-Encoding":
		return "", errors.New("belongs to the program and cannot be set")
	}
	return name, nil
}
