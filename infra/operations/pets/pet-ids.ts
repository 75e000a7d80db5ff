/** The ids on a command line: written out, or on standard input. */
import { createInterface } from 'node:readline'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { UsageError } from '../../command-line/user-error.ts'
import { idRule, readId } from './rows/check-row.ts'

/** An id, or the word that stands for the ids on standard input. */
type PetIdWord = bigint | '-'

/** Description of the argument for the help. */
export const petIdsDescription = 'ids of the pets; "-" reads them from standard input, the first word of each line'

/** Adds a word of the command line to those before it. */
export const parsePetIds = (text: string, earlierWords: readonly PetIdWord[] = []): readonly PetIdWord[] => [
  ...earlierWords,
  text === '-' ? text : parsePetId(text),
]

const parsePetId = (text: string): bigint => {
  const id = readId(text)
  if (id !== undefined) return id
  throw new InvalidArgumentError(`It must be ${idRule}.`)
}

/**
 * Reads the ids that words of the command line stand for, each once.
 *
 * @throws UsageError if a line of standard input does not begin with an id, or no line does
 */
export const readPetIds = async (words: readonly PetIdWord[]): Promise<readonly bigint[]> => {
  const writtenIds = words.filter((word) => word !== '-')
  const inputIds = writtenIds.length < words.length ? await readInputIds() : []
  return [...new Set([...writtenIds, ...inputIds])]
}

const readInputIds = async (): Promise<readonly bigint[]> => {
  const ids: bigint[] = []
  let lineNumber = 0
  for await (const line of createInterface({ input: process.stdin })) {
    lineNumber += 1
    const [word = ''] = line.trim().split(/\s+/)
    if (word === '') continue
    const id = readId(word)
    if (id === undefined) {
      throw new UsageError(`Line ${lineNumber} of standard input does not begin with the id of a pet. Nothing is done.`)
    }
    ids.push(id)
  }
  if (ids.length === 0) throw new UsageError('Standard input has no id of a pet.')
  return ids
}
