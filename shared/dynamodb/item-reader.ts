/**
 * Reading items whose attributes may be missing or malformed, for example because somebody has edited an item by hand.
 * A reader takes the attributes that it needs. The reading of an item without one of them is a `MalformedItem` with
 * the name of the item, not an error, so that the caller can go on with the other items.
 */
import { isInt64 } from '../int64.ts'
import type { Attributes } from './conditional-write.ts'

/** Result of reading an attribute that is missing or malformed. */
export const malformed = Symbol('malformed')

/** Reads one attribute of an item. */
export type AttributeReader<Value> = (attribute: unknown) => Value | typeof malformed

type AttributeReaders = Readonly<Record<string, AttributeReader<unknown>>>

/** The value that a reader returns for a well-formed attribute. */
type AttributeValue<Reader extends AttributeReader<unknown>> = Exclude<ReturnType<Reader>, typeof malformed>

/** The names of the attributes that an item may lack: their readers return undefined. */
type OptionalNames<Readers extends AttributeReaders> = {
  [Name in keyof Readers]: undefined extends AttributeValue<Readers[Name]> ? Name : never
}[keyof Readers]

/** The values that readers return for a well-formed item. Optional attributes that are missing are left out. */
export type ReadValues<Readers extends AttributeReaders> = {
  readonly [Name in Exclude<keyof Readers, OptionalNames<Readers>>]: AttributeValue<Readers[Name]>
} & {
  readonly [Name in OptionalNames<Readers>]?: Exclude<AttributeValue<Readers[Name]>, undefined>
}

/** Reads a text. A branded type such as KeyId is not checked further, because only this service writes such texts. */
export const readTextAttribute = <Text extends string = string>(attribute: unknown): Text | typeof malformed =>
  typeof attribute === 'string' ? (attribute as Text) : malformed

/** Reads an integer, which is a `bigint` only where a `number` would round it (`parseNumberAttribute`). */
export const readInt64Attribute: AttributeReader<bigint> = (attribute) => {
  const isInteger = typeof attribute === 'bigint' || (typeof attribute === 'number' && Number.isInteger(attribute))
  if (!isInteger) return malformed

  const value = BigInt(attribute)
  return isInt64(value) ? value : malformed
}

/** Creates a reader of whole numbers within a range. */
export const createNumberReader =
  (maximum: number, minimum = 0): AttributeReader<number> =>
  (attribute) => {
    const isInteger = typeof attribute === 'number' && Number.isInteger(attribute)
    return isInteger && attribute >= minimum && attribute <= maximum ? attribute : malformed
  }

/** Creates a reader that accepts one of some words. */
export const createWordReader =
  <const Word extends string>(words: readonly Word[]): AttributeReader<Word> =>
  (attribute) =>
    words.find((word) => word === attribute) ?? malformed

/** Creates a reader of an attribute that an item may lack. */
export const optional =
  <Value>(read: AttributeReader<Value>): AttributeReader<Value | undefined> =>
  (attribute) =>
    attribute === undefined ? undefined : read(attribute)

/** Creates a reader of an attribute that is ignored if it is malformed. */
export const ifReadable =
  <Value>(read: AttributeReader<Value>): AttributeReader<Value | undefined> =>
  (attribute) => {
    const value = read(attribute)
    return value === malformed ? undefined : value
  }

/** An item that has every attribute that its reader needs. */
export interface ReadItem<Value, Item = Attributes> {
  readonly kind: 'read'
  readonly value: Value
  /** The item as it is stored. */
  readonly item: Item
}

/** An item that cannot be read. */
export interface MalformedItem<Item = Attributes> {
  readonly kind: 'malformed'
  /** Name of the item for operators, such as `pet 5`. */
  readonly name: string
  /** The first attribute that is missing or malformed. */
  readonly attribute: string
  /** The item as it is stored. */
  readonly item: Item
}

/** Result of reading an item. */
export type ItemReading<Value, Item = Attributes> = ReadItem<Value, Item> | MalformedItem<Item>

/** The value of a well-formed item, by the type of the reading of the item. */
export type ReadValue<Reading> = Reading extends ReadItem<infer Value, unknown> ? Value : never

/**
 * Creates a function that reads the attributes of an item that have a reader, in the order of the readers. It ignores
 * all others.
 *
 * @example
 * const attributes = { id: readTextAttribute, nickname: optional(readTextAttribute) }
 * const readPet = createItemReader(attributes, ({ id }) => `pet ${id}`)
 *
 * @param nameItem names an item for operators and logs
 */
export const createItemReader = <Readers extends AttributeReaders, Item extends Attributes = Attributes>(
  readers: Readers,
  nameItem: (item: Item) => string,
) => {
  const readersByAttribute = Object.entries(readers)

  return (item: Item): ItemReading<ReadValues<Readers>, Item> => {
    const values: Record<string, unknown> = {}
    for (const [attribute, read] of readersByAttribute) {
      const value = read(item[attribute])
      if (value === malformed) return { kind: 'malformed', name: nameItem(item), attribute, item }
      if (value !== undefined) values[attribute] = value
    }
    // Each value has the type of its reader.
    return { kind: 'read', value: values as ReadValues<Readers>, item }
  }
}

/** Separates the items that can be read from those that cannot. */
export const separateMalformed = <Value, Item>(readings: readonly ItemReading<Value, Item>[]) => {
  const readItems: ReadItem<Value, Item>[] = []
  const malformedItems: MalformedItem<Item>[] = []
  for (const reading of readings) {
    if (reading.kind === 'read') readItems.push(reading)
    else malformedItems.push(reading)
  }
  return { readItems, malformedItems }
}

/** Describes an item that cannot be read, in a sentence. */
export const describeMalformedItem = ({ name, attribute }: Pick<MalformedItem, 'name' | 'attribute'>): string =>
  `The ${name} cannot be read: its item has no valid ${attribute}.`

/**
 * Returns the value of an item without which nothing can be done.
 *
 * @throws Error that names the item and the attribute
 */
export const requireValue = <Value>(reading: ItemReading<Value, unknown>): Value => {
  if (reading.kind === 'malformed') throw new Error(describeMalformedItem(reading))
  return reading.value
}
