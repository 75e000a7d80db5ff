/** A body that is made to take much time to read; no operation accepts it. */
export interface ExpensiveBody {
  readonly what: string
  readonly body: string
}

/** @param size in bytes of UTF-8; no body is longer, and none is much shorter */
export const expensiveBodies = (size: number): readonly ExpensiveBody[] => {
  const filled = (before: string, part: (index: number) => string, after: string, most?: number): string =>
    fill({ before, part, after, size, most })
  const inName = (part: (index: number) => string): string => filled('{"name":[0', part, '],"categoryId":1}')
  const fewest = Math.floor(size / mostValuesRead)
  return [
    { what: 'many small numbers', body: inName(() => ',1') },
    { what: 'many numbers with exponents', body: inName(() => ',1e9') },
    { what: 'many numbers of 30 digits', body: inName(() => `,${'9'.repeat(30)}`) },
    { what: 'many strings', body: inName(() => ',""') },
    { what: 'many objects', body: inName(() => ',{}') },
    { what: 'many members', body: filled('{"name":1', (index) => `,"${index.toString(36)}":1`, '}') },
    { what: 'many members that look like indexes', body: filled('{"name":1', (index) => `,"${index}":1`, '}') },
    { what: 'one member many times', body: filled('{"name":1', () => ',"":1', '}') },
    { what: 'deep arrays', body: nested('[', ']', size) },
    { what: 'deep objects', body: nested('{"":', '}', size) },
    { what: 'arrays without end', body: '['.repeat(size) },
    { what: 'escapes without end', body: `"${'\\"'.repeat((size - 1) / 2)}` },
    { what: 'a name of escapes', body: filled('{"name":"', () => '\\u0041', '"}') },
    { what: 'a name of white space', body: filled('{"name":"', () => ' ', '","categoryId":1}') },
    { what: 'a name of characters of several bytes', body: filled('{"name":"', () => '🐕é', '"}') },
    { what: 'an unknown member of escapes', body: filled('{"', () => '\\u0041', '":1}') },
    { what: 'a number of many digits', body: filled('{"name":"a","categoryId":', () => '9', '}') },
    { what: 'a fraction of many digits', body: filled('{"name":"a","categoryId":0.', () => '0', '1}') },
    {
      what: 'as many long numbers as are read',
      body: filled('{"name":[0', () => `,1${'0'.repeat(fewest - 2)}`, ']}', mostValuesRead),
    },
    {
      what: 'as many long members as are read',
      body: filled('{"a":0', (index) => `,"${index}${'\\n'.repeat(fewest / 2 - 4)}":1`, '}', mostValuesRead),
    },
  ]
}

/** A few less than the service reads, so that it reads them all. */
const mostValuesRead = 95

interface Filling {
  readonly before: string
  readonly part: (index: number) => string
  readonly after: string
  readonly size: number
  readonly most: number | undefined
}

const fill = ({ before, part, after, size, most = size }: Filling): string => {
  const parts: string[] = []
  let left = size - before.length - after.length
  while (parts.length < most) {
    const next = part(parts.length)
    left -= Buffer.byteLength(next)
    if (left < 0) break
    parts.push(next)
  }
  return before + parts.join('') + after
}

const nested = (opening: string, closing: string, size: number): string => {
  const depth = Math.floor((size - 1) / (opening.length + closing.length))
  return `${opening.repeat(depth)}0${closing.repeat(depth)}`
}
