import type { Section } from '../section.ts'
import { limitsSection } from '../traffic/limits.ts'
import { shardsSection } from '../traffic/shards.ts'
import type { PartContext } from './part.ts'

/** What limits throughput on AWS, on paper, and how many shards a key of a high limit needs, by simulation. */
export const modelTraffic = async ({ progress }: PartContext): Promise<readonly Section[]> => {
  progress('simulating')
  return [limitsSection(), shardsSection()]
}
