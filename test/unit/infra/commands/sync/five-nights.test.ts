/**
 * Five nights of five shelters: after each one the list is held against the animals that are truly at the shelters. The
 * folder `feeds` has the files as the software of shelters writes them, with invented animals. On night 3 the files are
 * those of night 2 again. On night 4 the file of elm-street is cut within a row, that of riverside at the end of a row,
 * that of old-mill is empty, that of harbour has a header alone, and only that of hilltop is whole. On night 5 all are
 * whole.
 */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { syncFile } from '../../../../../infra/commands/sync/night.ts'
import { readNight } from '../../../../../infra/commands/sync/read-night.ts'
import { readSettings } from '../../../../../infra/commands/sync/settings.ts'
import { openShelter, type Shelter } from '../../../../fixtures/commands/shelter.ts'

const feeds = `${import.meta.dirname}/feeds`

const sources = ['elm-street', 'riverside', 'old-mill', 'harbour', 'hilltop'] as const

type Source = (typeof sources)[number]

type NightName = 'night1' | 'night2' | 'night4' | 'night5'

const findSettings = (source: Source): string => `${feeds}/sources/${source}.yaml`

/** An animal as it is at its shelter, in the shelter's words. */
interface TrueAnimal {
  readonly night: NightName
  readonly source: Source
  readonly number: string
  readonly name: string
  readonly status: string
}

/** The animals that each shelter has in each night but the third and the fourth. */
const trueAnimals: readonly TrueAnimal[] = parse(readFileSync(`${feeds}/truth.csv`), { columns: true })

/** Gives the file of a night to `pets sync`. @returns the exit code */
const sync = async (shelter: Shelter, night: NightName, source: Source, acceptChanges = false): Promise<number> => {
  try {
    const read = await readNight({ file: `${feeds}/${night}/${source}.csv`, settings: findSettings(source) })
    const { environment, operator } = shelter.createRequest()
    const { exitCode = 0 } = await syncFile(environment, operator, read, { acceptChanges })
    return exitCode
  } catch (error) {
    return Number(Object(error)['exitCode'] ?? 1)
  }
}

/** Gives the file of each shelter to `pets sync`. @returns the exit codes, in the order of `sources` */
const syncAll = async (shelter: Shelter, night: NightName): Promise<readonly number[]> => {
  const exitCodes: number[] = []
  for (const source of sources) exitCodes.push(await sync(shelter, night, source))
  return exitCodes
}

/**
 * Lists the animals of a shelter that are truly on offer, with name and status by their numbers. An animal without a
 * name is called by its number.
 */
const listTrue = (night: NightName, source: Source): Readonly<Record<string, string>> => {
  const { statuses } = readSettings(findSettings(source))
  const animals = trueAnimals.filter((animal) => animal.night === night && animal.source === source)
  const entries = animals.flatMap(({ number, name, status }) => {
    const petStatus = statuses.get(status)
    const isOnOffer = petStatus === 'available' || petStatus === 'pending'
    return isOnOffer ? [[number, `${name || number} ${petStatus}`] as const] : []
  })
  return Object.fromEntries(entries.toSorted())
}

/** Lists the animals of a shelter that the list shows, without sold ones, which have left the shelter. */
const listOffered = async (shelter: Shelter, source: Source): Promise<Readonly<Record<string, string>>> => {
  const entries = Object.entries(await shelter.list(source))
  return Object.fromEntries(entries.filter(([, animal]) => !animal.endsWith(' sold')))
}

/** Expects that the list shows what is true of each shelter, except for changes by hand of animals of elm-street. */
const expectTruth = async (
  shelter: Shelter,
  night: NightName,
  changeByHand = (animals: Readonly<Record<string, string>>) => animals,
): Promise<void> => {
  for (const source of sources) {
    const animals = listTrue(night, source)
    const expected = source === 'elm-street' ? changeByHand(animals) : animals
    expect(await listOffered(shelter, source), `${source}, ${night}`).toEqual(expected)
  }
  expect(await shelter.findContradictions()).toEqual([])
}

it('five nights of five shelters bring the list to what is so, and keep what operators have changed', async () => {
  const shelter = await openShelter()
  for (const source of sources) await sync(shelter, 'night1', source, true)
  await expectTruth(shelter, 'night1')
  // This animal is in the files of the nights 1 and 5, but not in that of night 2.
  const returningId = await shelter.findId('D2026108', 'elm-street')
  // The files of the later nights have U2026119 and U2026103 as the first one has them, so the changes by hand last.
  await shelter.set(await shelter.findId('U2026119', 'elm-street'), { name: 'Renamed' })
  await shelter.remove(await shelter.findId('U2026103', 'elm-street'))
  const changeByHand = ({ U2026103: _removed, ...animals }: Readonly<Record<string, string>>) => ({
    ...animals,
    U2026119: 'Renamed available',
  })
  // The second night's file has another status of D2026114, and so takes its name back and names it to a person.
  await shelter.set(await shelter.findId('D2026114', 'elm-street'), { name: 'Renamed' })

  // The exit code 3 says that there is something to look at: D2026114 of elm-street.
  expect(await syncAll(shelter, 'night2')).toEqual([3, 0, 0, 0, 0])
  await expectTruth(shelter, 'night2', changeByHand)

  const before = await shelter.readPets()
  await syncAll(shelter, 'night2')
  expect(await shelter.readPets(), 'the same files again change nothing').toEqual(before)

  const listBefore = new Map<Source, Record<string, string>>()
  for (const source of sources) listBefore.set(source, await shelter.list(source))
  // The files of the first four sources are cut or empty, and so refused: exit code 4.
  expect(await syncAll(shelter, 'night4')).toEqual([4, 4, 4, 4, 0])
  for (const source of sources.slice(0, 4)) {
    expect(await shelter.list(source), 'a refused file changes nothing').toEqual(listBefore.get(source))
  }

  expect(await syncAll(shelter, 'night5')).toEqual([0, 0, 0, 0, 0])
  await expectTruth(shelter, 'night5', changeByHand)
  expect(await shelter.findId('D2026108', 'elm-street'), 'an animal that is back has its former id').toBe(returningId)
})
