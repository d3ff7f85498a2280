"""Your own table: a public sample, its schema, a mechanism fitted to it, and which ε it takes."""
