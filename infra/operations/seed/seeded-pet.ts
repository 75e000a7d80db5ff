import type { Pet, PetStatus } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'

/** How many pets can be seeded: all their ids are before 3 in the morning of the first day. */
export const maximumPets = 10_000_000

/**
 * Seeded pets have the ids of the first hours of 2025, where the service's ids begin: one a millisecond, the
 * first one millisecond after midnight. The service assigns ids by its clock and did not exist then, so no
 * real pet has one of them; nor has a local sample, the first of which is of 2 January. A list, newest first,
 * shows every real pet before them.
 */
const firstMoment = Date.UTC(2025, 0, 1, 0, 0, 0, 1)

/** The categories have the same numbers as those of the local samples. */
const categories: readonly Share<bigint>[] = [
  [1n, 44], // dogs
  [2n, 36], // cats
  [3n, 9], // rabbits
  [4n, 6], // birds
  [5n, 5], // small animals
]

const statuses: readonly Share<PetStatus>[] = [
  ['available', 60],
  ['pending', 12],
  ['sold', 28],
]

/** The pet of an index (0 and up). It is the same at every call, so writing it again changes nothing. */
export const seededPet = (index: number): Pet => ({
  id: seededPetId(index),
  name: nameOf(index),
  categoryId: chosen(categories, drawn(index, 2)),
  status: chosen(statuses, drawn(index, 3)),
})

export const seededPetId = (index: number): bigint => newPetId(firstMoment + index, (below) => drawn(index, 0) % below)

/** What seeded pets are called. */
const givenNames =
  `Bella Milo Luna Charlie Max Daisy Oliver Nala Rocky Simba Sadie Hazel Zoë Buddy Willow Duke Ginger Rosie
  Felix Toby Ruby Jasper Echo Biscuit Ollie Misty Pippin Coco Clover Kiwi Sunny Thumper Mango Snowball Leo
  Molly Teddy Stella Finn Poppy Gus Maple Otis Olive Winston Penny Louie Roxy Archie Lola Murphy Juniper Bruno
  Piper Oreo Honey Bandit Cleo Scout Peanut Rufus Mochi Ziggy Pepper Björn Chloé Niño Ida Hugo Freya Tilly
  Basil Waffles Nutmeg Socks Shadow Smokey Patch Fern Tofu`.split(/\s+/)

/** Distinguishes two of the same given name. */
const surnames = `Whiskers, Barkley, Longears, Fluff, Pawson, Featherby, Snuggles, Underfoot,
  Moonlight, Bramble, of the Hill, the Brave, the Quiet, the Second, the Third, Junior`.split(/,\s+/)

const nameOf = (index: number): string => {
  const number = drawn(index, 1)
  const given = givenNames[number % givenNames.length] ?? ''
  const rest = Math.floor(number / givenNames.length)
  // Two of three have a given name alone.
  const surname = rest % 3 === 0 ? surnames[Math.floor(rest / 3) % surnames.length] : undefined
  return surname === undefined ? given : `${given} ${surname}`
}

/** A value, and how many of a hundred have it. */
type Share<Value> = readonly [value: Value, ofHundred: number]

const chosen = <Value>(shares: readonly Share<Value>[], number: number): Value => {
  let rest = number % 100
  for (const [value, ofHundred] of shares) {
    if (rest < ofHundred) return value
    rest -= ofHundred
  }
  throw new Error('The shares do not add up to a hundred.')
}

/** 32 bits that look random and are always the same: the index and the purpose, mixed as MurmurHash3 ends. */
const drawn = (index: number, purpose: number): number => {
  let bits = Math.imul(index * 4 + purpose + 1, 0x9e3779b1)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
