// Package settings declares everything that a user can change about the program, resolves values
// from several layers, and keeps sets of values in profile files.
//
// A setting is a variable such as MaxTurns. Its declaration has the key, the kind of value, the
// default, the help and the aliases, and it has one line in All, below its category. The input of
// /set, completion, profile files, their JSON Schema and all listings are derived from it. A new
// sort of value is a Kind. The program reads a value with the variable:
//
//	turns := settings.MaxTurns.Of(s)
//
// Settings hold the values of a running program. A value comes from one of the layers, in the order
// built-in default < found < profile < environment < flags < session (D-39), and knows which one.
// Only validated, canonical values are stored, so that the rest of the program need not check them.
// An API key is never a setting.
//
// The words of some enums belong to other packages, which pass them to the Registry. A Store owns
// the files under $XDG_CONFIG_HOME/agent. The package does not read the environment.
package settings
