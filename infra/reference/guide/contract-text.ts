import type { Contract } from '../../contract/contract.ts'

/**
 * The description of a part of the contract.
 *
 * @param place such as `components/headers/Retry-After`
 * @throws Error when there is no such part, or it has no description
 */
export const descriptionOf = (contract: Contract, place: string): string => {
  const { description } = place
    .split('/')
    .reduce((node, key) => Object(node)[key.replaceAll('~1', '/')], Object(contract.document))
  if (typeof description !== 'string') throw new Error(`The contract lacks a description of ${place}.`)
  return description.trim()
}

/** The name of the authentication scheme. */
export const securityScheme = (contract: Contract): string => {
  const [name] = Object.keys(Object(contract.document.components).securitySchemes)
  if (name === undefined) throw new Error('The contract has no security scheme.')
  return name
}
