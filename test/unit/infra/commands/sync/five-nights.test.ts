/** Five nights of five shelters, as their software writes them, against what is so at the shelters. */
import { expect, it } from 'vitest'
import type { ChangeId } from '../../../../../infra/commands/changes/record.ts'
import { syncFile } from '../../../../../infra/commands/sync/night.ts'
import { readNight } from '../../../../../infra/commands/sync/read-night.ts'
import { readSettings } from '../../../../../infra/commands/sync/settings.ts'
import { openShelter, type Shelter } from '../../../../fixtures/commands/shelter.ts'
import {
  type FeedNight,
  type FeedSource,
  feedSources,
  findFeed,
  findFeedSettings,
  readTruth,
} from '../../../../fixtures/feeds/feeds.ts'

/** Gives the file of a night to `pets sync`. @returns the exit code */
const sync = async (shelter: Shelter, night: FeedNight, source: FeedSource, acceptChanges = false): Promise<number> => {
  try {
    const read = await readNight({ file: findFeed(night, source), settings: findFeedSettings(source) })
    const { environment, operator } = shelter.createRequest()
    const { exitCode = 0 } = await syncFile(environment, operator, read, { acceptChanges })
    return exitCode
  } catch (error) {
    return Number(Object(error)['exitCode'] ?? 1)
  }
}

const syncAll = async (shelter: Shelter, night: FeedNight): Promise<readonly number[]> => {
  const exitCodes: number[] = []
  for (const source of feedSources) exitCodes.push(await sync(shelter, night, source))
  return exitCodes
}

/**
 * Lists what the list is to show of a shelter: its animals whose status is shown. An animal that was never on offer, or
 * is no longer at the shelter, is not among them.
 */
const listTrue = (night: FeedNight, source: FeedSource): Readonly<Record<string, string>> => {
  const { statuses } = readSettings(findFeedSettings(source))
  const entries = readTruth(night, source).flatMap(({ number, name, status }) => {
    const shown = statuses.get(status)
    return shown === 'available' || shown === 'pending' ? [[number, `${name || number} ${shown}`] as const] : []
  })
  return Object.fromEntries(entries.toSorted())
}

/** Lists the animals of a shelter that are available or pending. */
const listOffered = async (shelter: Shelter, source: FeedSource): Promise<Readonly<Record<string, string>>> => {
  const entries = Object.entries(await shelter.list(source))
  return Object.fromEntries(entries.filter(([, animal]) => !animal.endsWith(' sold')))
}

const expectTruth = async (
  shelter: Shelter,
  night: FeedNight,
  changeByHand = (animals: Readonly<Record<string, string>>) => animals,
): Promise<void> => {
  for (const source of feedSources) {
    const animals = listTrue(night, source)
    const expected = source === 'elm-street' ? changeByHand(animals) : animals
    expect(await listOffered(shelter, source), `${source}, ${night}`).toEqual(expected)
  }
  expect(await shelter.findContradictions()).toEqual([])
}

/** Opens a shelter after the first night of all five. */
const openAfterFirstNight = async (): Promise<Shelter> => {
  const shelter = await openShelter()
  for (const source of feedSources) await sync(shelter, 'night1', source, true)
  return shelter
}

it('five nights of five shelters bring the list to what is so, and keep what operators have changed', async () => {
  const shelter = await openAfterFirstNight()
  await expectTruth(shelter, 'night1')
  const returning = await shelter.findId('D2026108', 'elm-street')
  // Zoë stays as she is at the shelter, and another animal gets another status in the second night.
  await shelter.set(await shelter.findId('U2026119', 'elm-street'), { name: 'Renamed' })
  await shelter.set(await shelter.findId('D2026114', 'elm-street'), { name: 'Renamed' })
  await shelter.remove(await shelter.findId('U2026103', 'elm-street'))
  const changeByHand = ({ U2026103: _removed, ...animals }: Readonly<Record<string, string>>) => ({
    ...animals,
    U2026119: 'Renamed available',
  })

  expect(await syncAll(shelter, 'night2'), 'the file has changed an animal that was renamed').toEqual([3, 0, 0, 0, 0])
  await expectTruth(shelter, 'night2', changeByHand)

  const before = await shelter.readPets()
  await syncAll(shelter, 'night2')
  expect(await shelter.readPets(), 'the same files again change nothing').toEqual(before)

  const listBefore = new Map<FeedSource, Record<string, string>>()
  for (const source of feedSources) listBefore.set(source, await shelter.list(source))
  // Cut in a row, cut at the end of a row, empty, a header alone; the last one is whole.
  expect(await syncAll(shelter, 'night4')).toEqual([4, 4, 4, 4, 0])
  for (const source of feedSources.slice(0, 4)) {
    expect(await shelter.list(source), 'a refused file changes nothing').toEqual(listBefore.get(source))
  }

  expect(await syncAll(shelter, 'night5')).toEqual([0, 0, 0, 0, 0])
  await expectTruth(shelter, 'night5', changeByHand)
  expect(await shelter.findId('D2026108', 'elm-street'), 'an animal that is back has its former id').toBe(returning)
})

it('a night that is undone, given again, and followed by the next one leaves the list as if it had passed once', async () => {
  const shelter = await openAfterFirstNight()
  await syncAll(shelter, 'night2')
  const nights = await shelter.readChangeIdsOf('alice')
  // The changes of the second night come after those of the first, of which each animal has one at most.
  const first = await openAfterFirstNight()
  const firstCount = (await first.readChangeIdsOf('alice')).length
  const secondNight = nights
    .map((id) => id as ChangeId)
    .toSorted()
    .slice(firstCount)

  await shelter.undo(secondNight)
  await expectTruth(shelter, 'night1')
  for (const source of feedSources) await sync(shelter, 'night2', source, true)
  await expectTruth(shelter, 'night2')
  await syncAll(shelter, 'night5')

  await expectTruth(shelter, 'night5')
})

it('the file of another shelter is refused, and so are other categories of all animals until they are accepted', async () => {
  const shelter = await openAfterFirstNight()
  const { environment, operator } = shelter.createRequest()
  const settings = findFeedSettings('hilltop')
  const own = await readNight({ file: findFeed('night2', 'hilltop'), settings })
  const other = await readNight({ file: findFeed('night2', 'riverside'), settings: findFeedSettings('riverside') })
  const animals = [...own.animals].map(([number, animal]) => [number, { ...animal, categoryId: 999n }] as const)
  const remapped = { ...own, animals: new Map(animals), settingsHash: 'remapped' }

  for (const night of [{ ...own, animals: other.animals, fileHash: 'of riverside' }, remapped]) {
    await expect(syncFile(environment, operator, night)).rejects.toMatchObject({ exitCode: 4 })
  }
  await expectTruth(shelter, 'night1')

  await syncFile(environment, operator, remapped, { acceptChanges: true })
  expect((await shelter.findPet('E-0002', 'hilltop')).state).toMatchObject({ pet: { categoryId: 999n } })
})
