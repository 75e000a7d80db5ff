import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Attributes } from '../../shared/dynamodb/conditional-write.ts'
import { FollowerRules } from './follower-rules.ts'
import { PetRules } from './pet-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

/** Creates the rules of animals. @param stored the items of the table, to which tests may add others */
const createPetRules = (stored: Attributes[] = []): PetRules => {
  const readTable = async (command: { readonly input: { readonly Key?: Attributes } }) =>
    command instanceof ScanCommand
      ? { Items: stored }
      : { Item: stored.find(({ id }) => id === command.input.Key?.['id']) }
  // The rules only get single items and scan the table.
  const client = { send: readTable } as unknown as DynamoDBDocumentClient
  return new PetRules(history, new FollowerRules(history.time, history), { observe: () => client }, 'pets')
}

describe('a creation has one id', () => {
  const stored = [
    { id: 1, name: 'Bello' },
    { id: 2, name: 'Bello' },
  ]

  it('is broken by a second id', async () => {
    const acknowledge = createPetRules(stored).begin('Bello')
    await acknowledge(1)
    await acknowledge(2)

    expect(history.listBroken()).toEqual(['a creation has one id'])
  })

  it('holds for the same id twice', async () => {
    const acknowledge = createPetRules(stored).begin('Bello')
    await acknowledge(1)
    await acknowledge(1)

    expect(history.listBroken()).toEqual([])
  })
})

describe('a creation adds one animal', () => {
  it('is broken by two animals', async () => {
    const rules = createPetRules([
      { id: 1, name: 'Bello' },
      { id: 2, name: 'Bello' },
    ])
    rules.begin('Bello')
    await rules.checkAtEnd()

    expect(history.listBroken()).toEqual(['a creation adds one animal'])
  })

  it('holds for an animal of each creation', async () => {
    const rules = createPetRules([
      { id: 1, name: 'Bello' },
      { id: 2, name: 'Rex' },
    ])
    rules.begin('Bello')
    rules.begin('Rex')
    await rules.checkAtEnd()

    expect(history.listBroken()).toEqual([])
  })
})

describe('an acknowledged animal is there', () => {
  const invariant = 'an acknowledged animal is there'

  it('is broken by an animal that is not stored', async () => {
    await createPetRules().begin('Bello')(1)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken by another animal under the id', async () => {
    await createPetRules([{ id: 1, name: 'Rex' }]).begin('Bello')(1)

    expect(history.listBroken()).toEqual([invariant])
  })

  it('is broken by an animal that disappears', async () => {
    const stored = [{ id: 1, name: 'Bello' }]
    const rules = createPetRules(stored)
    await rules.begin('Bello')(1)
    stored.pop()
    await rules.checkAtEnd()

    expect(history.listBroken()).toEqual([invariant])
  })

  it('holds for an animal that an operator has tried to remove', async () => {
    const stored = [{ id: 1, name: 'Bello' }]
    const rules = createPetRules(stored)
    await rules.begin('Bello')(1)
    rules.expectRemoval(1)
    stored.pop()
    await rules.checkAtEnd()

    expect(history.listBroken()).toEqual([])
  })
})

describe('a removed animal is gone', () => {
  it('is broken by an animal that was removed', async () => {
    const rules = createPetRules([{ id: 1, name: 'Bello' }])
    rules.expectRemoval(1)
    rules.confirmRemoval(1)
    await rules.checkAtEnd()

    expect(history.listBroken()).toEqual(['a removed animal is gone'])
  })

  it('holds for an animal whose removal was not confirmed', async () => {
    const rules = createPetRules([{ id: 1, name: 'Bello' }])
    rules.expectRemoval(1)
    await rules.checkAtEnd()

    expect(history.listBroken()).toEqual([])
  })
})
