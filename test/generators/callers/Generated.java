package javax.annotation;

/** Stands for the annotation of jakarta.annotation-api, which marks generated code for tools that leave it out. */
public @interface Generated {
  String[] value();
  String date() default "";
  String comments() default "";
}
