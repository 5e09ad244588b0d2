package settings

// Setting is a setting whose values are of type T. It is declared once, as a variable. The rest of
// the program reads a value with the variable:
//
//	limit := settings.MaxTurns.Of(s)
type Setting[T any] struct{ spec *Spec }

// Declared is a Setting of any type.
type Declared interface{ declaration() *Spec }

// Declare returns a setting with a default, as package flag declares flags: its key, its kind of
// value, the default, a line of help, and other names that users may type.
func Declare[T any](key string, kind Kind[T], standard T, help string, aliases ...string) Setting[T] {
	return Setting[T]{&Spec{Key: key, Help: help, Aliases: aliases, standard: Value{standard}, kind: kind.untyped()}}
}

// Optional returns a setting that has no value unless somebody sets one. unset describes in a few
// words the behaviour without a value.
func Optional[T any](key string, kind Kind[T], unset, help string, aliases ...string) Setting[T] {
	return Setting[T]{&Spec{Key: key, Help: help, Aliases: aliases, Unset: unset, kind: kind.untyped()}}
}

// from names a variable of the environment that sets the value, too.
func (d Setting[T]) from(variable string) Setting[T] {
	d.spec.Environment = variable
	return d
}

// ofPerson declares that the setting describes the user and not the task. A value that is chosen on
// the screen is kept for later sessions. A setting that bears on safety or on money describes the
// task.
func (d Setting[T]) ofPerson() Setting[T] {
	d.spec.Person = true
	return d
}

// Key returns the key.
func (d Setting[T]) Key() string { return d.spec.Key }

// Of returns the value in s, or the zero T if it is unset.
func (d Setting[T]) Of(s *Settings) T {
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
