import { describe, expect, it } from 'vitest'
import type { Listing } from '../../../../../../infra/commands/pets/sync/listing.ts'
import { mapRows } from '../../../../../../infra/commands/pets/sync/map-rows.ts'
import { compareFile, planChanges, type ReadListing } from '../../../../../../infra/commands/pets/sync/plan.ts'
import type { FileRow } from '../../../../../../infra/commands/pets/sync/read-file.ts'
import { checkCounts } from '../../../../../../infra/commands/pets/sync/safety.ts'
import type { SourceSettings } from '../../../../../../infra/commands/pets/sync/settings.ts'
import type { Pet } from '../../../../../../shared/pets/pet.ts'

const settings: SourceSettings = {
  source: 'oak-lane',
  columns: { reference: 'No', name: 'Name', category: 'Kind', status: 'State' },
  categories: new Map([
    ['Dog', 11n],
    ['Cat', 12n],
  ]),
  statuses: new Map([
    ['Ready', 'available'],
    ['Reserved', 'pending'],
    ['Adopted', 'sold'],
    ['On hold', 'hidden'],
  ]),
  missing: 'remove',
}

const createRow = (row: Partial<FileRow> = {}): FileRow => ({
  reference: 'A1',
  name: 'Bella',
  category: 'Dog',
  status: 'Ready',
  ...row,
})

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 11n, status: 'available' }

const createListing = (listing: Partial<Listing> = {}): Listing => ({
  reference: 'A1',
  petId: 5n,
  state: 'listed',
  name: 'Bella',
  categoryId: 11n,
  status: 'available',
  byHand: {},
  version: 'v1',
  ...listing,
})

const hidden = (): Listing => {
  const { status: _status, ...listing } = createListing({ state: 'hidden' })
  return listing
}

interface Situation {
  readonly rows: readonly FileRow[]
  readonly listings?: readonly Listing[]
  readonly pets?: readonly Pet[]
  readonly missing?: SourceSettings['missing']
  readonly read?: Partial<ReadListing>
  readonly statuses?: SourceSettings['statuses']
}

const plan = (situation: Situation) => {
  const { rows, listings = [], pets = [], missing = 'remove', read = {}, statuses = settings.statuses } = situation
  const known = listings.map((listing) => [listing.reference, { listing, storedVersion: 'v1', ...read }] as const)
  const changes = compareFile(mapRows(rows, { ...settings, statuses }), new Map(known), missing)
  return planChanges(changes, new Map(pets.map((pet) => [pet.id, pet])))
}

describe('rows', () => {
  it('an animal without a name gets its reference as its name', () => {
    const { animals } = mapRows([createRow({ name: '' })], settings)

    expect(animals.get('A1')).toEqual({ name: 'A1', categoryId: 11n, status: 'available' })
  })

  it('two equal rows are one animal', () => {
    expect(mapRows([createRow(), createRow()], settings).animals.size).toBe(1)
  })

  it.each([
    { rows: [createRow(), createRow({ name: 'Max' })], reason: 'two rows with this reference differ' },
    { rows: [createRow({ status: 'Lost' })], reason: 'its status "Lost" is not in the settings' },
    { rows: [createRow({ category: 'constructor' })], reason: 'its category "constructor" is not in the settings' },
    { rows: [createRow({ name: 'B'.repeat(256) })], reason: expect.stringContaining('its name must be a string of 1') },
    { rows: [createRow({ status: 'Lost' }), createRow()], reason: 'its status "Lost" is not in the settings' },
  ])('an animal stays as it is because of $reason', ({ rows, reason }) => {
    const { unknownRows } = mapRows(rows, settings)

    expect([...unknownRows.values()]).toEqual([{ reference: 'A1', reason }])
    expect(plan({ rows, listings: [createListing()], pets: [bella] })).toMatchObject({ additions: [], changes: [] })
  })
})

describe('an animal without a listing', () => {
  it.each(['Ready', 'Reserved'])('is added if its status is %s', (status) => {
    expect(plan({ rows: [createRow({ status })] }).additions).toMatchObject([{ reference: 'A1' }])
  })

  it.each(['Adopted', 'On hold'])('is not added if its status is %s', (status) => {
    expect(plan({ rows: [createRow({ status })] })).toMatchObject({ additions: [], changes: [] })
  })
})

describe('a listed animal', () => {
  it('is unchanged if its row is, whatever a hand has done', () => {
    expect(plan({ rows: [createRow()], listings: [createListing()], pets: [] }).changes).toEqual([])
  })

  it('gets what its row changes, and keeps what a hand has changed', () => {
    const situation: Situation = {
      rows: [createRow({ status: 'Adopted' })],
      listings: [createListing()],
      pets: [{ ...bella, name: 'Bella the brave' }],
    }

    expect(plan(situation).changes).toMatchObject([
      {
        action: 'edited',
        newPet: { ...bella, name: 'Bella the brave', status: 'sold' },
        keptFields: ['name'],
        replacedFields: [],
      },
    ])
  })

  it('gets what a changed mapping of its words changes', () => {
    const situation: Situation = {
      rows: [createRow()],
      listings: [createListing()],
      pets: [bella],
      statuses: new Map([['Ready', 'pending']]),
    }

    expect(plan(situation).changes).toMatchObject([{ action: 'edited', newPet: { ...bella, status: 'pending' } }])
  })

  it('gets the name of its row in place of that of a hand, which is reported', () => {
    const situation: Situation = {
      rows: [createRow({ name: 'Bella II' })],
      listings: [createListing()],
      pets: [{ ...bella, name: 'Bella the brave' }],
    }

    expect(plan(situation).changes).toMatchObject([
      { action: 'edited', newPet: { ...bella, name: 'Bella II' }, keptFields: [], replacedFields: ['name'] },
    ])
  })

  it('needs no write of its pet if a hand has made the same change', () => {
    const situation: Situation = {
      rows: [createRow({ status: 'Adopted' })],
      listings: [createListing()],
      pets: [{ ...bella, status: 'sold' }],
    }

    expect(plan(situation).changes).toMatchObject([{ action: 'none', next: { status: 'sold' } }])
  })

  it('is removed while its row hides it, and returns with the name that a hand has given it', () => {
    const [hiding] = plan({
      rows: [createRow({ status: 'On hold' })],
      listings: [createListing()],
      pets: [{ ...bella, name: 'Bella the brave' }],
    }).changes
    expect(hiding).toMatchObject({ action: 'removed', next: { state: 'hidden' }, byHand: { name: 'Bella the brave' } })

    const listing = { ...hidden(), byHand: hiding?.byHand ?? {} }
    const [returning] = plan({ rows: [createRow({ status: 'Reserved' })], listings: [listing] }).changes
    expect(returning).toMatchObject({
      action: 'returned',
      newPet: { ...bella, name: 'Bella the brave', status: 'pending' },
      keptFields: ['name'],
    })
  })

  it('that a hand has removed returns when its row changes', () => {
    const situation: Situation = { rows: [createRow({ status: 'Reserved' })], listings: [createListing()], pets: [] }

    expect(plan(situation).changes).toMatchObject([{ action: 'returned', newPet: { ...bella, status: 'pending' } }])
  })
})

describe('a listed animal that is no longer in the file', () => {
  it('is removed', () => {
    expect(plan({ rows: [], listings: [createListing()], pets: [bella] }).changes).toMatchObject([
      { action: 'removed', next: { state: 'missing' } },
    ])
  })

  it('is sold if the settings say so', () => {
    const situation: Situation = { rows: [], listings: [createListing()], pets: [bella], missing: 'sold' }

    expect(plan(situation).changes).toMatchObject([
      { action: 'edited', newPet: { ...bella, status: 'sold' }, next: { state: 'missing', status: 'sold' } },
    ])
  })

  it('stays removed if a hand has removed it', () => {
    const situation: Situation = { rows: [], listings: [createListing()], pets: [], missing: 'sold' }

    expect(plan(situation).changes).toMatchObject([{ action: 'none', newPet: undefined }])
  })

  it('is unchanged the next night', () => {
    expect(plan({ rows: [], listings: [{ ...hidden(), state: 'missing' }] }).changes).toEqual([])
  })
})

it('an animal whose pet is older than its listing gets all fields of its row', () => {
  const situation: Situation = {
    rows: [createRow()],
    listings: [createListing()],
    pets: [{ ...bella, name: 'Old name', status: 'pending' }],
    read: { isPetBehind: true },
  }

  expect(plan(situation).changes).toMatchObject([
    { action: 'edited', newPet: bella, replacedFields: ['name', 'status'] },
  ])
})

it('additions and edits come before removals', () => {
  const listings = ['A1', 'A2', 'A3'].map((reference, index) => createListing({ reference, petId: BigInt(index) }))
  const pets = listings.map(({ petId }) => ({ ...bella, id: petId }))
  const rows = [createRow({ reference: 'A2', name: 'Max' }), createRow({ reference: 'A4' })]

  const { additions, changes } = plan({ rows, listings, pets })

  expect(additions).toMatchObject([{ reference: 'A4' }])
  expect(changes.map(({ listing, action }) => `${listing.reference} ${action}`)).toEqual([
    'A2 edited',
    'A1 removed',
    'A3 removed',
  ])
})

describe('counts', () => {
  /** Plans a night of a source of some animals. @param toRow undefined if the animal of this number is missing */
  const check = (
    count: number,
    toRow: (index: number) => FileRow | undefined,
    missing: 'remove' | 'sold' = 'remove',
  ) => {
    const listings = Array.from({ length: count }, (_, index) =>
      createListing({ reference: `A${index}`, petId: BigInt(index) }),
    )
    const pets = listings.map(({ petId }) => ({ ...bella, id: petId }))
    const rows = Array.from({ length: 3 * count }, (_, index) => toRow(index)).filter((row) => row !== undefined)
    const planned = plan({ rows, listings, pets, missing })
    return () => checkCounts(planned, count - planned.changes.length)
  }

  const rowOf = (index: number) => createRow({ reference: `A${index}` })

  it.each([
    { losses: 'missing', toRow: () => undefined, missing: 'remove' as const },
    { losses: 'sold as missing', toRow: () => undefined, missing: 'sold' as const },
    { losses: 'hidden', toRow: (index: number) => ({ ...rowOf(index), status: 'On hold' }), missing: 'sold' as const },
    {
      losses: 'another animal by name and category',
      toRow: (index: number) => ({ ...rowOf(index), name: 'Max', category: 'Cat' }),
      missing: 'sold' as const,
    },
  ])('more than a fifth of the animals may not be $losses', ({ toRow, missing }) => {
    const loseUpTo = (lost: number) => (index: number) => {
      if (index >= 30) return undefined
      return index < lost ? toRow(index) : rowOf(index)
    }

    expect(check(30, loseUpTo(6), missing)).not.toThrow()
    expect(check(30, loseUpTo(7), missing)).toThrow(
      expect.objectContaining({ exitCode: 4, message: expect.stringContaining('7 of 30 animals') }),
    )
  })

  it('four animals of a small source may be missing', () => {
    expect(check(6, (index) => (index < 2 ? rowOf(index) : undefined))).not.toThrow()
    expect(check(6, (index) => (index < 1 ? rowOf(index) : undefined))).toThrow('5 of 6 animals')
  })

  it('a source may double, and not more', () => {
    expect(check(10, (index) => (index < 20 ? rowOf(index) : undefined))).not.toThrow()
    expect(check(10, (index) => (index < 21 ? rowOf(index) : undefined))).toThrow('It would add 11 animals to 10')
  })

  it('a new name alone, or an adoption, is no loss', () => {
    expect(check(10, (index) => (index < 10 ? { ...rowOf(index), name: 'Max' } : undefined))).not.toThrow()
    expect(check(10, (index) => (index < 10 ? { ...rowOf(index), status: 'Adopted' } : undefined))).not.toThrow()
  })
})
