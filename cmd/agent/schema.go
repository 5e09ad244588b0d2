package main

import (
	"fmt"

	"agent/internal/app"
	"agent/internal/headless"
	"agent/internal/nearest"
	"agent/internal/rawjson"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
)

// schemas are the formats that scripts and editors read, by name.
var schemas = map[string]func() (*jsonschema.Schema, error){
	"events":   headless.EventsSchema,
	"result":   headless.ResultSchema,
	"settings": func() (*jsonschema.Schema, error) { return app.Registry().ProfileSchema() },
}

func newSchema(w world) *cobra.Command {
	names := []string{"events", "result", "settings"}
	return &cobra.Command{
		Use:   "schema events|result|settings",
		Short: "Print the JSON Schema of what scripts read",
		Long: `Prints the JSON Schema (2020-12) of a line of --output-format stream-json, of the result
of --output-format json, or of a profile file.`,
		Args:      exactArgs(1, "events, result or settings"),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			schema := schemas[args[0]]
			if schema == nil {
				return usage(fmt.Errorf("there is no schema %q; did you mean %v?", args[0], nearest.Of(args[0], names, 1)))
			}
			s, err := schema()
			if err != nil {
				return err
			}
			return rawjson.WriteIndented(w.out, s)
		},
	}
}
