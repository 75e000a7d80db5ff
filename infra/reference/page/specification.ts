interface Parameter {
  description?: string
  example?: unknown
}

interface Specification {
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> }
}

/**
 * Reads the contract for the live panels. The panels would send the examples of parameters, such as a cursor of another
 * list, so the examples become part of the descriptions.
 */
export const readSpecification = async (url: string): Promise<Specification> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The status of ${url} is ${response.status}.`)
  const specification: Specification = await response.json()
  for (const parameter of Object.values(specification.components.parameters)) {
    const { description = '', example } = parameter
    if (example !== undefined) parameter.description = `${description.trim()} Example: \`${String(example)}\`.`
    delete parameter.example
  }
  return specification
}
