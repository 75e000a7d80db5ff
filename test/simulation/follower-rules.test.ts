import { beforeEach, describe, expect, it } from 'vitest'
import { drawPetId } from '../../shared/pets/pet-id.ts'
import { removed } from '../../shared/pets/pet-store.ts'
import { FollowerRules } from './follower-rules.ts'
import { TestHistory } from './test-history.ts'

let history: TestHistory
beforeEach(() => {
  history = new TestHistory()
})

/** Time at which the id of an animal is drawn. */
const drawnAt = Date.UTC(2026, 10, 2, 12)
const animalId = Number(drawPetId(drawnAt, () => 7))

describe('a follower gets each animal', () => {
  const invariant = 'a follower gets each animal'

  /** Stores an animal that no follower gets, so many milliseconds after its id was drawn. */
  const missAnimal = (age: number, storedBy: { isOverdue: boolean; isAcknowledged: boolean }): readonly string[] => {
    const rules = new FollowerRules({ now: drawnAt + age }, history)
    rules.addFollower('follower')
    rules.recordVersion({ id: BigInt(animalId), name: 'Rex' }, storedBy)
    rules.checkAtEnd([animalId])
    return history.listBroken()
  }

  it('is broken by an animal that was stored in time', () => {
    expect(missAnimal(100, { isOverdue: false, isAcknowledged: false })).toEqual([invariant])
  })

  it('is broken by an animal that was stored after the timeout, but soon after its id was drawn', () => {
    expect(missAnimal(10_000, { isOverdue: true, isAcknowledged: false })).toEqual([invariant])
  })

  it('is broken by an animal whose creation was sent again meanwhile', () => {
    expect(missAnimal(20_000, { isOverdue: true, isAcknowledged: true })).toEqual([invariant])
  })

  it('holds for an animal that a frozen function has stored late', () => {
    expect(missAnimal(10_001, { isOverdue: true, isAcknowledged: false })).toEqual([])
  })

  it('holds for an animal that the follower has got', () => {
    const rules = new FollowerRules({ now: drawnAt }, history)
    const see = rules.addFollower('follower')
    rules.recordVersion({ id: BigInt(animalId), name: 'Rex' }, { isOverdue: false, isAcknowledged: false })
    see(animalId)
    rules.checkAtEnd([animalId])

    expect(history.violations).toEqual([])
  })
})

describe('a follower gets each animal once', () => {
  it('is broken by an animal that comes twice', () => {
    const see = new FollowerRules(history.time, history).addFollower('the follower')
    see(1)
    see(1)

    expect(history.listBroken()).toEqual(['a follower gets each animal once'])
  })

  it('holds for an animal that two followers get', () => {
    const rules = new FollowerRules(history.time, history)
    rules.addFollower('the follower')(1)
    rules.addFollower('another follower')(1)

    expect(history.listBroken()).toEqual([])
  })
})

describe('an animal is added soon after its id was drawn', () => {
  const invariant = 'an animal is added soon after its id was drawn'

  const checkAge = (age: number, more: object = {}): readonly string[] => {
    const rules = new FollowerRules({ now: drawnAt + age }, history)
    rules.recordVersion({ id: BigInt(animalId), name: 'Rex', ...more }, { isOverdue: false, isAcknowledged: false })
    return history.listBroken()
  }

  it('is broken by an id that is ahead', () => {
    expect(checkAge(-1_501)).toEqual([invariant])
  })

  it('is broken by an id that is old', () => {
    expect(checkAge(45_001)).toEqual([invariant])
  })

  it('holds for clocks that differ a little', () => {
    expect(checkAge(-1_500)).toEqual([])
  })

  it('holds for a write that is throttled for half a minute', () => {
    expect(checkAge(45_000)).toEqual([])
  })

  it('holds for an old id that is made unusable', () => {
    expect(checkAge(120_000, { [removed]: true })).toEqual([])
  })
})
