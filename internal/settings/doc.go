// Package settings declares everything that a user can configure, resolves values from several
// layers, and stores sets of values in profile files.
//
// A setting is a variable such as MaxTurns. Its declaration contains the key, the kind of value,
// the default, the help and the aliases. The function All lists it below its category. The input of
// /set, completion, profile files, their JSON Schema and all listings are derived from the
// declaration. A Kind implements a type of values. The program reads a value with the variable:
//
//	turns := settings.MaxTurns.Value(s)
//
// Settings hold the values of a running program. A value comes from one of the layers, in the order
// built-in default < found < kept < profile < environment < flags < session (D-39). Settings also
// return the layer of a value. Only validated, canonical values are stored, so that the rest of the
// program need not check them. An API key is never a setting.
//
// The words of some enums belong to other packages, which pass them to the Registry. A Store
// manages the files under $XDG_CONFIG_HOME/agent. The package does not read the environment.
package settings
