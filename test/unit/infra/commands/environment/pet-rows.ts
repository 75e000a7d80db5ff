import { readFileSync, writeFileSync } from 'node:fs'
import type { CommandRow, FaultState, FaultWorld } from './faulty-commands.ts'

const findPet = ({ items }: FaultState, id: number) => items.get(`pet#${id}`)

/** Finds the items of the pets of a shelter's file, by their numbers there. */
const findSynced = ({ items }: FaultState) => {
  const synced = [...items.values()].filter((item) => item['source'] === 'elm-street')
  return new Map(synced.map((item) => [item['number'], item]))
}

/** Writes a shelter's file. @returns the words of `pets sync` for it */
const writeShelterFile = (world: FaultWorld, rows: readonly string[]): readonly string[] => {
  const settings = world.pathOf('elm-street.yaml')
  writeFileSync(
    settings,
    `
source: elm-street
columns: { number: Number, name: Name, category: Kind, status: State }
categories: { Dog: 1 }
statuses: { Ready: available, Adopted: sold }
missing: remove`,
  )
  const file = world.pathOf('animals.csv')
  writeFileSync(file, ['Number,Name,Kind,State', ...rows].join('\n'))
  return ['sync', file, '--source', settings]
}

/** Syncs the first file of a shelter. */
const syncFirstFile = async (world: FaultWorld): Promise<void> => {
  const rows = ['N1,Rex,Dog,Ready', 'N2,Luna,Dog,Ready', 'N3,Max,Dog,Ready']
  await world.succeed('pets', ...writeShelterFile(world, rows), '--accept-changes')
}

/** Exports all pets. @returns the path of the file */
const exportPets = async (world: FaultWorld, name: string): Promise<string> => {
  const file = world.pathOf(name)
  await world.succeed('pets', 'export', '--out', file)
  return file
}

/** The commands of `npm run pets` that change pets. */
export const petRows: readonly CommandRow[] = [
  {
    name: 'pets add',
    prepare: async () => ['add', '--name', 'Rex', '--category', '1'],
    isDone: (_world, { items }) => [...items.values()].some((item) => item['name'] === 'Rex'),
  },
  {
    name: 'pets set',
    prepare: async () => ['set', '5', '6', '--status', 'pending'],
    isDone: (_world, state) => [5, 6].every((id) => findPet(state, id)?.['status'] === 'pending'),
  },
  {
    name: 'pets remove',
    prepare: async () => ['remove', '5', '6'],
    isDone: (_world, state) => [5, 6].every((id) => findPet(state, id)?.['removed'] === 'by hand'),
  },
  {
    name: 'pets import',
    prepare: async (world) => {
      const file = await exportPets(world, 'pets.csv')
      writeFileSync(file, readFileSync(file, 'utf8').replace('Bella', 'Stella').replace('Milo', 'Otto'))
      return ['import', file]
    },
    isDone: (_world, state) => findPet(state, 5)?.['name'] === 'Stella' && findPet(state, 6)?.['name'] === 'Otto',
  },
  {
    name: 'pets restore',
    prepare: async (world) => {
      const file = await exportPets(world, 'pets.jsonl')
      await world.succeed('pets', 'set', '5', '--name', 'Stella')
      await world.succeed('pets', 'remove', '6')
      return ['restore', file]
    },
    isDone: (_world, state) => findPet(state, 5)?.['name'] === 'Bella' && findPet(state, 6)?.['name'] === 'Milo',
  },
  {
    name: 'pets undo',
    prepare: async (world) => {
      const { changes } = JSON.parse(await world.succeed('pets', 'set', '5', '6', '--status', 'sold', '--json'))
      return ['undo', ...changes.map(({ changeId }: { readonly changeId: string }) => changeId)]
    },
    isDone: (_world, state) => [5, 6].every((id) => findPet(state, id)?.['status'] === 'available'),
  },
  {
    name: 'pets sync',
    prepare: async (world) => {
      await syncFirstFile(world)
      return writeShelterFile(world, ['N1,Rex,Dog,Adopted', 'N2,Luna,Dog,Ready', 'N4,Bo,Dog,Ready'])
    },
    isDone: (_world, state) => {
      const pets = findSynced(state)
      const isChanged = pets.get('N1')?.['status'] === 'sold' && pets.get('N3')?.['removed'] === 'by source'
      return isChanged && pets.get('N4')?.['name'] === 'Bo'
    },
  },
  {
    name: 'pets sync --reindex',
    prepare: async (world) => {
      await syncFirstFile(world)
      await world.emptyIndex()
      return [...writeShelterFile(world, ['N1,Bo,Dog,Ready', 'N2,Luna,Dog,Ready', 'N3,Max,Dog,Ready']), '--reindex']
    },
    isDone: (_world, state) => findSynced(state).get('N1')?.['name'] === 'Bo' && findSynced(state).size === 3,
  },
  {
    name: 'pets follow',
    prepare: async (world) => {
      await syncFirstFile(world)
      const id = String(findSynced(await world.readState()).get('N1')?.['id'])
      await world.succeed('pets', 'set', id, '--name', 'Wrong')
      return ['follow', id]
    },
    isDone: (_world, state) => findSynced(state).get('N1')?.['name'] === 'Rex',
  },
]
