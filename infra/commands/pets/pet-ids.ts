/** Ids of pets and of changes on a command line: written out, or on standard input. */
import { createInterface } from 'node:readline'
import { makePrintable } from '../../command-line/printable.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { type ChangeId, parseChangeId } from '../changes/record.ts'
import { parsePetId } from '../files/pet-fields.ts'
import { standardInput } from '../files/read-file.ts'

/** Adds a word of the command line to those before it: Commander calls this for each word of a list. */
export const collectWords = (word: string, earlierWords: readonly string[] = []): readonly string[] => [
  ...earlierWords,
  word,
]

/**
 * Reads ids of pets, each once. The word `-` stands for standard input, where each line begins with an id, as the lines
 * of `list` do.
 *
 * @throws UsageError if a word is no id
 */
export const readPetIds = (words: readonly string[]): Promise<readonly bigint[]> =>
  readIds(words, (line) => parsePetId(line.split(/\s/, 1)[0] ?? ''), 'the id of a pet')

/**
 * Reads ids of changes, each once. The word `-` stands for standard input, where each line is an id, or one of
 * `audit --json`.
 *
 * @throws UsageError if a word is no id
 */
export const readChangeIds = (words: readonly string[]): Promise<readonly ChangeId[]> =>
  readIds(words, readChangeIdOfLine, 'the id of a change')

const readChangeIdOfLine = (line: string): ChangeId | undefined => {
  const [, changeIdOfJson] = /"changeId":"([^"]+)"/.exec(line) ?? []
  const { changeId, target } = parseChangeId(changeIdOfJson ?? line) ?? {}
  if (target?.startsWith('key#') === true) {
    throw new UsageError(`${changeId} is the change of a key, which "keys set" changes. Leave it out. Nothing is done.`)
  }
  return changeId
}

const readIds = async <Id>(
  words: readonly string[],
  readLine: (line: string) => Id | undefined,
  idName: string,
): Promise<readonly Id[]> => {
  const ids = new Set<Id>()
  for await (const line of listLines(words)) {
    const id = readLine(line.trim())
    if (id === undefined) throw new UsageError(`"${makePrintable(line)}" is not ${idName}. Nothing is done.`)
    ids.add(id)
  }
  // There is at least one word, so without any line the only word is `-`.
  if (ids.size === 0) throw new UsageError(`Standard input has no line with ${idName}.`)
  return [...ids]
}

/** Lists the words, with the lines of standard input that are not empty in place of the word `-`. */
async function* listLines(words: readonly string[]): AsyncGenerator<string> {
  for (const word of words) {
    if (word !== standardInput) {
      yield word
      continue
    }
    for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== '') yield line
  }
}
