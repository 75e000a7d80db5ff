interface Parameter {
  description?: string
  example?: unknown
}

interface Specification {
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> }
}

/**
 * Reads the contract for the live panels. They would fill in the examples of parameters, and so send a
 * cursor of another list, or ask for an animal that is not there: the examples are told in words instead.
 */
export const readSpecification = async (url: string): Promise<Specification> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} was answered ${response.status}.`)
  const specification: Specification = await response.json()
  for (const parameter of Object.values(specification.components.parameters)) {
    const { description = '', example } = parameter
    if (example !== undefined) parameter.description = `${description.trim()} Example: \`${String(example)}\`.`
    delete parameter.example
  }
  return specification
}
