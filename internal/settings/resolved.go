package settings

// Resolved is a setting with its value.
type Resolved struct {
	Spec   *Spec
	Value  Value
	Source Source
}

// resolvedJSON is a setting as programs read it.
type resolvedJSON struct {
	Key      string   `json:"key"`
	Aliases  []string `json:"aliases,omitempty"`
	Type     Type     `json:"type"`
	Value    Value    `json:"value"`
	Source   string   `json:"source"`
	Default  Value    `json:"default"`
	Unset    string   `json:"unset,omitempty"`
	Takes    string   `json:"takes"`
	Values   []string `json:"values,omitempty"`
	Category Category `json:"category"`
	Help     string   `json:"help"`
}

// MarshalJSON describes the setting completely; value and default are null when unset.
func (r Resolved) MarshalJSON() ([]byte, error) {
	s := r.Spec
	return encode(resolvedJSON{
		s.Key, s.Aliases, s.Type(), r.Value, r.Source.String(), s.Default(), s.Unset, s.Takes(), s.Values(), s.Category, s.Help,
	})
}
