import type { Stack } from '../../synthesis/assembly.ts'
import type { Resolve } from './intrinsic-functions.ts'

/** A resource of a template with its intrinsic functions resolved. */
export interface ResolvedResource<Properties> {
  /** What `Ref` gives. */
  readonly name: string
  readonly stack: Stack
  readonly properties: Properties
}

/** Gives the resources of one type, such as `Lambda::Function`, whose properties are as CloudFormation documents them. */
export type ResourcesOf = <Properties>(type: string) => readonly ResolvedResource<Properties>[]

export const createResourcesOf =
  (stacks: readonly Stack[], resolve: Resolve): ResourcesOf =>
  <Properties>(type: string) =>
    stacks.flatMap((stack) =>
      [...stack.resources.values()]
        .filter((resource) => resource.type === `AWS::${type}`)
        .map(({ logicalId, properties }) => ({
          name: String(resolve(stack, { Ref: logicalId })),
          stack,
          // CloudFormation would reject a template with properties of another shape.
          properties: resolve(stack, properties) as Properties,
        })),
    )
