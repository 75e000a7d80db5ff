import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'
import { type Pet, parsePet } from '../../../shared/pets/pet.ts'
import { linesOf } from './rows/read-rows.ts'

/** How many pets are in memory at a time. */
const runLength = 20_000

/**
 * Pets by their ids, the highest first, in the same memory for any number: each run of them is sorted and written to a file,
 * and the files are merged.
 *
 * @param folder for the files
 */
export async function* newestFirst(pages: AsyncIterable<readonly Pet[]>, folder: string): AsyncGenerator<Pet> {
  const files: string[] = []
  let run: Pet[] = []
  for await (const pets of pages) {
    run.push(...pets)
    if (run.length < runLength) continue
    files.push(join(folder, `${files.length}`))
    await pipeline(linesOfRun(sorted(run)), createWriteStream(files.at(-1) ?? ''))
    run = []
  }
  yield* merged([...files.map(petsIn), sorted(run)])
}

const sorted = (pets: Pet[]): readonly Pet[] => pets.sort((one, other) => (one.id < other.id ? 1 : -1))

function* linesOfRun(pets: readonly Pet[]): Generator<string> {
  for (const pet of pets) yield `${stringifyExactJson(pet)}\n`
}

async function* petsIn(file: string): AsyncGenerator<Pet> {
  // Only this file writes it.
  for await (const line of linesOf(file)) yield parsePet(parseExactJson(line.toString()) as Pet)
}

async function* merged(runs: readonly (AsyncIterable<Pet> | Iterable<Pet>)[]): AsyncGenerator<Pet> {
  const heads = await Promise.all(
    runs.map(async (run) => {
      const pets = Symbol.asyncIterator in run ? run[Symbol.asyncIterator]() : run[Symbol.iterator]()
      return { pets, head: await pets.next() }
    }),
  )
  for (;;) {
    let newest: (typeof heads)[number] | undefined
    for (const one of heads) if (idOf(one.head) > idOf(newest?.head)) newest = one
    if (newest === undefined) return
    yield newest.head.value
    newest.head = await newest.pets.next()
  }
}

const idOf = (head?: IteratorResult<Pet>): bigint => (head === undefined || head.done === true ? 0n : head.value.id)
