import { parseInt64 } from '../../int64.ts'
import type { ValueKind } from '../operation-contract.ts'

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/**
 * Reads a value of a kind from text: a parameter of a request, or a cell of a file. A text that is not a value of the
 * kind is returned as it is, and the validator refuses it.
 *
 * @example readValue('5', 'integer') // 5n
 */
export const readValue = (text: string, kind: ValueKind): unknown => {
  switch (kind) {
    case 'integer':
      return parseInt64(text) ?? text
    case 'boolean':
      return booleans.get(text) ?? text
    case 'text':
      return text
  }
}
