package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// define completes a tool from the Go struct A of its arguments: the schema comes
// from the struct (a field's json tag names the parameter, omitempty makes it
// optional, its jsonschema tag is the description), and plan is called with the
// decoded arguments. Arguments that do not fit are an error. Whatever the tool answers
// is bounded (D-41).
func define[A any](t Tool, plan func(ctx context.Context, env *Env, args A) (Plan, error)) Tool {
	d := newDecoder[A]()
	t.takes = d.schemaJSON
	if t.Schema == nil { // else it offers less than it takes
		t.Schema = d.schemaJSON
	}
	t.Plan = func(ctx context.Context, env *Env, raw json.RawMessage) (Plan, error) {
		args, err := d.decode(raw)
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", t.Name, err)
		}
		p, err := plan(ctx, env, args)
		if err != nil {
			return Plan{}, bounded(err, env.Limits)
		}
		apply := p.Apply
		p.Apply = func(ctx context.Context) Answer { return env.Limits.bound(apply(ctx)) }
		if answered := p.Answered; answered != nil {
			p.Answered = func(given []Given) Answer { return env.Limits.bound(answered(given)) }
		}
		return p, nil
	}
	return t
}

// bounded cuts an error message that is too long for an answer. What it wraps is
// known no more then.
func bounded(err error, limits Limits) error {
	if len(err.Error()) <= limits.OutputBytes()/2 {
		return err
	}
	return errors.New(limits.bound(failed(err)).Error)
}

// defineRead completes a tool that only reads: run carries its calls out. Arguments
// that name files have a method reads, so that it is asked about those with keys.
func defineRead[A any](t Tool, run func(ctx context.Context, env *Env, args A) Answer) Tool {
	t.Reads, t.Beside = true, true
	return define(t, func(_ context.Context, env *Env, args A) (Plan, error) {
		preview, cleared := Preview{}, *env
		if named, ok := any(args).(interface{ reads() []string }); ok {
			preview = cleared.clear(t.Name, named.reads())
		}
		return Plan{Preview: preview, Apply: func(ctx context.Context) Answer { return run(ctx, &cleared, args) }}, nil
	})
}

// schemaOf infers the JSON Schema of A, in the plain form that every provider
// understands: one type a parameter, no null.
func schemaOf[A any]() *jsonschema.Schema {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		// Only an argument struct that JSON cannot express comes here.
		panic(err)
	}
	withoutNull(schema)
	return schema
}

// withoutNull drops the null that slices may be.
func withoutNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Items != nil {
		withoutNull(s.Items)
	}
	for _, property := range s.Properties {
		withoutNull(property)
	}
}
