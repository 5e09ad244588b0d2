package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// define completes a tool from the Go struct A of its arguments: the schema comes
// from the struct (a field's json tag names the parameter, omitempty makes it
// optional, its jsonschema tag is the description), and run is called with the
// decoded arguments only. Arguments that do not fit are an error answer.
func define[A any](t Tool, run func(ctx context.Context, env *Env, args A) Answer) Tool {
	d := newDecoder[A]()
	t.Schema = d.schemaJSON
	t.Run = func(ctx context.Context, env *Env, raw json.RawMessage) Answer {
		args, err := d.decode(raw)
		if err != nil {
			return Answer{Error: fmt.Sprintf("%s: %s", t.Name, err)}
		}
		return run(ctx, env, args)
	}
	return t
}

// withPreview adds the preview of a tool that needs approval.
func withPreview[A any](t Tool, preview func(env *Env, args A) (Preview, error)) Tool {
	d := newDecoder[A]()
	t.Preview = func(env *Env, raw json.RawMessage) (Preview, error) {
		args, err := d.decode(raw)
		if err != nil {
			return Preview{}, fmt.Errorf("%s: %w", t.Name, err)
		}
		return preview(env, args)
	}
	return t
}

// failed is the answer to a call that did nothing.
func failed(err error) Answer { return Answer{Error: err.Error()} }

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
