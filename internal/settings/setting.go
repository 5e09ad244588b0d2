package settings

// Setting is a setting whose values are of type T. It is declared once, as a variable. The rest of
// the program reads a value through the variable:
//
//	limit := settings.MaxTurns.Value(s)
type Setting[T any] struct{ spec *Spec }

// AnySetting is a Setting of any type.
type AnySetting interface{ declaration() *Spec }

// Declare returns a setting with a default, like the functions of package flag. Its arguments are
// the key, the kind of value, the default, a line of help, and aliases.
func Declare[T any](key string, kind Kind[T], standard T, help string, aliases ...string) Setting[T] {
	return Setting[T]{&Spec{Key: key, Help: help, Aliases: aliases, standard: Value{standard}, kind: kind.untyped()}}
}

// Optional returns a setting that has no value by default. unset briefly describes the behavior
// without a value.
func Optional[T any](key string, kind Kind[T], unset, help string, aliases ...string) Setting[T] {
	return Setting[T]{&Spec{Key: key, Help: help, Aliases: aliases, Unset: unset, kind: kind.untyped()}}
}

// from adds an environment variable that sets the value.
func (d Setting[T]) from(variable string) Setting[T] {
	d.spec.Environment = variable
	return d
}

// ofPerson declares that the setting belongs to the user, not to the task. A value that is chosen
// on the screen is stored for later sessions. A setting that affects safety or cost must belong to
// the task.
func (d Setting[T]) ofPerson() Setting[T] {
	d.spec.Person = true
	return d
}

// Key returns the key.
func (d Setting[T]) Key() string { return d.spec.Key }

// Value returns the value in s, or the zero T if it is unset.
func (d Setting[T]) Value(s *Settings) T {
	v, _ := d.Get(s)
	return v
}

// Get returns the value in s; ok is false if it is unset.
func (d Setting[T]) Get(s *Settings) (v T, ok bool) {
	value, _ := s.Get(d.spec.Key)
	v, ok = value.v.(T)
	return v, ok
}

// Pointer returns the value in s, or nil if it is unset.
func (d Setting[T]) Pointer(s *Settings) *T {
	v, ok := d.Get(s)
	if !ok {
		return nil
	}
	return &v
}

func (d Setting[T]) declaration() *Spec { return d.spec }
