package settings

// Setting is the declaration of one setting whose values are of type T. It is
// declared once, as a variable that the rest of the program reads it by:
//
//	limit := settings.MaxTurns.Of(s)
type Setting[T any] struct{ spec *Spec }

// Declared is a Setting of any type, as a Registry takes it.
type Declared interface{ declaration() *Spec }

// Declare returns a setting with a default.
func Declare[T any](kind Kind[T], standard T, spec Spec) Setting[T] {
	spec.kind = kind.untyped()
	spec.standard = Value{standard, kind.text(standard)}
	return Setting[T]{&spec}
}

// Optional returns a setting that has no value unless somebody sets one.
func Optional[T any](kind Kind[T], spec Spec) Setting[T] {
	spec.kind = kind.untyped()
	return Setting[T]{&spec}
}

// Key returns the canonical name.
func (d Setting[T]) Key() string { return d.spec.Key }

// Of returns the value in s, the zero T when it is unset.
func (d Setting[T]) Of(s *Settings) T {
	v, _ := d.Get(s)
	return v
}

// Get returns the value in s; ok is false when it is unset.
func (d Setting[T]) Get(s *Settings) (v T, ok bool) {
	value, _ := s.Get(d.spec.Key)
	v, ok = value.v.(T)
	return v, ok
}

// Pointer returns the value in s, nil when it is unset.
func (d Setting[T]) Pointer(s *Settings) *T {
	v, ok := d.Get(s)
	if !ok {
		return nil
	}
	return &v
}

func (d Setting[T]) declaration() *Spec { return d.spec }
